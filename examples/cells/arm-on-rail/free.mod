MODULE load_lathe
  ! Puts a shaft into the chuck. Millimetres and degrees; positions count from the base of the arm.
  PERS tooldata gripper:=[TRUE,[[0,0,262],[1,0,0,0]],[3,[0,0,90],[1,0,0,0],0,0,0]];
  CONST jointtarget home:=[[0,-25,35,0,-10,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST robtarget door:=[[40,700,780],[0.5,-0.5,0.5,0.5],[0,-1,0,1],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST robtarget chuck:=[[40,1250,780],[0.5,-0.5,0.5,0.5],[0,-1,0,1],[9E9,9E9,9E9,9E9,9E9,9E9]];

  PROC main()
    MoveAbsJ home,v500,fine,gripper;
    MoveJ door,v500,fine,gripper;
    MoveL chuck,v100,fine,gripper;
    MoveL door,v100,fine,gripper;
    MoveAbsJ home,v500,fine,gripper;
  ENDPROC
ENDMODULE
